export function JobsScreen() {
  return <h1>JobsScreen</h1>;
}
