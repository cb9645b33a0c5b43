export function GateRunScreen() {
  return <h1>GateRunScreen</h1>;
}
