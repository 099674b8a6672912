import { describe, expect, it } from 'vitest';
import { checkSansIo } from '../checks/sans-io.mjs';
import { layers, member } from './members.mjs';

const faultsIn = (name, src) => checkSansIo(layers, [member(name, { src })]);

describe('the sans-IO check', () => {
  it.each([
    ["import { connect } from 'node:net';", 'imports node:net'],
    ["import { readFile } from 'node:fs/promises';", 'imports node:fs/promises'],
    ["import { setTimeout as wait } from 'node:timers/promises';", 'imports node:timers/promises'],
    ["export * from 'node:perf_hooks';", 'imports node:perf_hooks'],
    ["import { randomBytes } from 'node:crypto';", 'imports node:crypto'],
    ['export const now = Date.now();', 'uses Date.now'],
    ['export const now = new Date();', 'uses new Date()'],
    ['export const now = Date();', 'uses Date()'],
    ['export const now = performance.now();', 'uses performance'],
    ['export const now = process.hrtime.bigint();', 'uses process'],
    ['export const r = Math.random();', 'uses Math.random'],
    ['setTimeout(() => undefined, 5);', 'uses setTimeout'],
    ['export const timers = { setTimeout };', 'uses setTimeout'],
    ['queueMicrotask(() => undefined);', 'uses queueMicrotask'],
    ['globalThis.setImmediate(() => undefined);', 'uses globalThis.setImmediate'],
    ['export const id = crypto.randomUUID() as string;', 'uses crypto'],
  ])('finds %s', (src, fault) => {
    expect(faultsIn('low', src)).toEqual([`packages/low/src/index.ts:1: ${fault}`]);
  });

  it.each([
    'export const at = new Date(0); export const parsed = Date.UTC(2000, 1);',
    "import { Buffer } from 'node:buffer'; import type { Socket } from 'node:net'; export type S = Socket; export const b = Buffer.alloc(1);",
    'export function start(timers: Timers): void { timers.setTimeout(1); }',
    'export class Clock { setTimeout(): void {} } export interface T { performance: number } export const o = { process: 1 };',
    'export function sign(crypto: Provider): number { return crypto.sign(); }',
    'const process = (x: number): number => x; export const y = process(1);',
    'export type Now = typeof Date.now; export type P = typeof performance;',
  ])('accepts %s', (src) => {
    expect(faultsIn('low', src)).toEqual([]);
  });

  it('leaves other packages alone, except for node:crypto', () => {
    expect(faultsIn('ports', "import 'node:net'; import 'node:crypto'; Date.now();")).toEqual([
      'packages/ports/src/index.ts:1: imports node:crypto',
    ]);
    expect(faultsIn('high', "import 'node:crypto';")).toEqual([]);
  });
});
