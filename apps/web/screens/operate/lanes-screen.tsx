export function LanesScreen() {
  return <h1>LanesScreen</h1>;
}
