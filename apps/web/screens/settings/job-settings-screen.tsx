export function JobSettingsScreen() {
  return <h1>JobSettingsScreen</h1>;
}
