/** Ends a child with this process, however that ends, as long as the child runs. */
export function endWithProcess(child) {
  const end = () => child.kill('SIGKILL');
  process.once('exit', end);
  child.once('exit', () => process.off('exit', end));
}
