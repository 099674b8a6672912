export { type BrowserPage, type BrowserPageOptions, serveBrowserPage } from './browser-page/browser-page.ts';
