export function GateScreen() {
  return <h1>GateScreen</h1>;
}
