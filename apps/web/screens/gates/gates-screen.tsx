export function GatesScreen() {
  return <h1>GatesScreen</h1>;
}
