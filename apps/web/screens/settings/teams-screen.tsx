export function TeamsScreen() {
  return <h1>TeamsScreen</h1>;
}
