export function CacheScreen() {
  return <h1>CacheScreen</h1>;
}
