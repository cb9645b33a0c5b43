export function NewGateScreen() {
  return <h1>NewGateScreen</h1>;
}
