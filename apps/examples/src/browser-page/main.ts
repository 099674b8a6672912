import { serveBrowserPage } from './browser-page.ts';

const page = await serveBrowserPage({ pagePort: 8080, webPort: 4843, port: 4840, pkiFolder: 'pki' });
console.log(
  `Open ${page.server.endpointUrls.find((url) => url.startsWith('opc.https:'))?.replace('opc.', '')}/openapi.json once and accept`,
);
console.log(`the certificate, then ${page.pageUrl}`);
process.once('SIGINT', () => void page[Symbol.asyncDispose]());
