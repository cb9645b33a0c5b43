export function CompareScreen() {
  return <h1>CompareScreen</h1>;
}
