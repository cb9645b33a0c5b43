export function ExperimentsScreen() {
  return <h1>ExperimentsScreen</h1>;
}
