/** Tells the benchmark where a server listens, in the form that the reference server uses too. */
export function printReady(endpoint: string): void {
  console.log(JSON.stringify({ event: 'ready', pid: process.pid, endpoints: [endpoint] }));
}
