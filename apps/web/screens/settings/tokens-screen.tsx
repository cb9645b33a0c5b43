export function TokensScreen() {
  return <h1>TokensScreen</h1>;
}
