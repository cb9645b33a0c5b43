export function JudgeSettingsScreen() {
  return <h1>JudgeSettingsScreen</h1>;
}
