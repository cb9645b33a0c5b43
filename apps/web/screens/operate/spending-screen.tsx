export function SpendingScreen() {
  return <h1>SpendingScreen</h1>;
}
