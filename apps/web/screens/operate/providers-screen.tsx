export function ProvidersScreen() {
  return <h1>ProvidersScreen</h1>;
}
