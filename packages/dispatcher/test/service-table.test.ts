import * as ua from '@bulkhead/types';
import { describe, expect, it } from 'vitest';
import { serviceTable } from '../src/index.ts';

describe('serviceTable', () => {
  it('has one row for each request type but those of the SecureChannel itself', () => {
    const requests = Object.values(ua as Record<string, unknown>)
      .filter((value): value is ua.RequestType<never> => typeof value === 'object' && value !== null && 'decodeBody' in value)
      .map(({ name }) => name)
      .filter((name) => !name.includes('SecureChannel'));
    expect(requests.length).toBeGreaterThan(30);
    expect(serviceTable.map(({ request }) => request.name).sort()).toEqual(requests.sort());
  });

  it('pairs each request with its response and names both after the service', () => {
    for (const { name, request, response } of serviceTable) {
      expect([request.name, response.name]).toEqual([`${name}Request`, `${name}Response`]);
    }
  });

  it('needs no Session for discovery and for making one, and an activated one for the rest', () => {
    const without = serviceTable.filter(({ session }) => session === 'none').map(({ name }) => name);
    expect(without).toEqual([
      'FindServers',
      'FindServersOnNetwork',
      'GetEndpoints',
      'RegisterServer',
      'RegisterServer2',
      'CreateSession',
      'ActivateSession',
    ]);
    expect(serviceTable.filter(({ session }) => session === 'created').map(({ name }) => name)).toEqual(['CloseSession']);
    expect(serviceTable.filter(({ isParkable }) => isParkable).map(({ name }) => name)).toEqual(['Publish']);
  });
});
