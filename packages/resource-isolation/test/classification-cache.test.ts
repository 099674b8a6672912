import { describe, expect, it } from 'vitest';
import { CallerClassification } from '../src/classification/caller-classification.ts';
import { ClassificationCache, MAX_CACHED_CALLERS_PER_CHANNEL } from '../src/classification/classification-cache.ts';
import { createRuntimePlan } from '../src/index.ts';
import { anonymous, createProvider, MapClassifier, smallLimits } from './fixtures.ts';

const channel = {};
const activation = {};
const evidence = { ...anonymous, applicationThumbprint: 'AA', userName: 'ann', hasActivatedSession: true };

function createCache(classifier?: MapClassifier): ClassificationCache {
  return new ClassificationCache(new CallerClassification(createRuntimePlan(smallLimits), classifier, undefined));
}

describe('ClassificationCache', () => {
  it('RI-36 uses an owner again for the same evidence of the same activation on the same channel, and only then', () => {
    const cache = createCache();
    const owner = cache.ownerOf(channel, activation, evidence);
    expect(cache.ownerOf(channel, activation, { ...evidence })).toBe(owner);
    const changed = [
      cache.ownerOf(channel, {}, evidence),
      cache.ownerOf(channel, activation, { ...evidence, applicationThumbprint: 'BB' }),
      cache.ownerOf(channel, activation, { ...evidence, userName: 'bob' }),
      cache.ownerOf(channel, activation, { ...evidence, hasActivatedSession: false }),
      cache.ownerOf(channel, activation, { ...evidence, address: '10.0.0.2' }),
      cache.ownerOf(channel, activation, { ...evidence, work: 'Control' }),
      cache.ownerOf({}, activation, evidence),
    ];
    for (const other of changed) expect(other).not.toBe(owner);
    expect(changed[3]?.key).toBe('application:AA');
    expect(cache.ownerOf(channel, activation, evidence)).toBe(owner);
  });

  it('RI-36 asks the classifier each time, so a changed mapping counts at once', () => {
    const classifier = new MapClassifier({});
    const cache = createCache(classifier);
    expect(cache.ownerOf(channel, activation, evidence).key).toBe('user:ann');
    classifier.byAddress.set('10.0.0.1', { key: 'gateway', ownerClass: 'Reconnect' });
    expect(cache.ownerOf(channel, activation, evidence)).toMatchObject({ key: 'gateway', ownerClass: 'Reconnect' });
    classifier.byAddress.clear();
    expect(cache.ownerOf(channel, activation, evidence).key).toBe('user:ann');
  });

  it('RI-36 keeps at most eight callers per channel and none of a closed one', () => {
    const cache = createCache();
    for (let at = 0; at < 20; at++) {
      expect(cache.ownerOf(channel, activation, { ...evidence, userName: `user${at}` }).key).toBe(`user:user${at}`);
      expect(cache.entryCount(channel)).toBe(Math.min(at + 1, 8));
    }
    expect(MAX_CACHED_CALLERS_PER_CHANNEL).toBe(8);
    const last = cache.ownerOf(channel, activation, { ...evidence, userName: 'user19' });
    cache.forget(channel);
    expect(cache.entryCount(channel)).toBe(0);
    expect(cache.ownerOf(channel, activation, { ...evidence, userName: 'user19' })).not.toBe(last);
  });

  it('keeps its own copy of the evidence', () => {
    const cache = createCache();
    const mutable = { ...evidence };
    const owner = cache.ownerOf(channel, activation, mutable);
    mutable.userName = 'bob';
    expect(cache.ownerOf(channel, activation, mutable).key).toBe('user:bob');
    expect(cache.ownerOf(channel, activation, evidence)).toBe(owner);
  });

  it('is what the provider classifies with on a channel', () => {
    const provider = createProvider();
    const owner = provider.classifyOn(channel, activation, evidence);
    expect(provider.classifyOn(channel, activation, evidence)).toBe(owner);
    provider.channelClosed(channel);
    expect(provider.classifyOn(channel, activation, evidence)).not.toBe(owner);
    expect(provider.classify(evidence)).toMatchObject({ key: 'user:ann' });
  });
});
