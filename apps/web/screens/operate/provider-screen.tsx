export function ProviderScreen() {
  return <h1>ProviderScreen</h1>;
}
