import type { MonitoredTarget } from '@bulkhead/contracts';
import {
  AccessRestrictionType,
  AttributeIds,
  BuiltInType,
  DataValue,
  MessageSecurityMode,
  type NodeId,
  NodeId as NodeIds,
  QualifiedName,
  ReadValueId,
  StatusCodes,
  Variant,
} from '@bulkhead/types';
import { describe, expect, it } from 'vitest';
import { createFixture, session, write } from './harness.ts';

describe('monitored targets', () => {
  const { space } = createFixture();
  const holder = { session: session() };
  const open = (nodeId: NodeId, options: Partial<ReadValueId> = {}): MonitoredTarget | number =>
    space.openMonitoredTarget(ReadValueId.create({ nodeId, attributeId: AttributeIds.Value, ...options }), session());
  const target = (nodeId: NodeId, options: Partial<ReadValueId> = {}): MonitoredTarget => {
    const opened = open(nodeId, options);
    if (typeof opened === 'number') throw new Error(`status ${opened}`);
    return opened;
  };

  it('report each change of a stored value, however it came', async () => {
    const node = space.addVariable({ browseName: 'V', dataType: 'Double', value: 1, writable: true });
    const watched = target(node.nodeId);
    const seen: unknown[] = [];
    const stop = watched.observe((value) => seen.push(value.value?.value), holder);
    expect(watched.minimumSamplingIntervalMs).toBe(0);
    node.setValue(2);
    await write(space, node.nodeId, new DataValue(Variant.double(3)));
    stop?.();
    node.setValue(4);
    expect(seen).toEqual([2, 3]);
    expect(node.details?.observers).toBeUndefined();
  });

  it('apply the index range to what they report', () => {
    const node = space.addVariable({ browseName: 'A', dataType: 'Int32', value: [1, 2, 3] });
    const seen: unknown[] = [];
    target(node.nodeId, { indexRange: '1' }).observe((value) => seen.push(value.value?.value ?? value.statusCode), holder);
    node.setValue([4, 5, 6]);
    node.setValue([7]);
    expect(seen).toEqual([[5], StatusCodes.BadIndexRangeNoData]);
  });

  it('have to be sampled when the value comes from a callback or is another attribute', () => {
    const node = space.addVariable({ browseName: 'S', dataType: 'Double', read: () => 5, minimumSamplingInterval: 250 });
    const sampled = target(node.nodeId);
    expect(sampled.observe(() => {}, holder)).toBeUndefined();
    expect(sampled.minimumSamplingIntervalMs).toBe(250);
    expect(sampled.read(session())).toMatchObject({ value: { value: 5 } });
    expect(target(node.nodeId, { attributeId: AttributeIds.DisplayName }).observe(() => {}, holder)).toBeUndefined();
  });

  it('know numbers and their EURange', () => {
    const analog = space.objectsFolder.addAnalogItem({ browseName: 'L', dataType: 'Float', value: 1, euRange: { low: 0, high: 50 } });
    const text = space.addVariable({ browseName: 'T', dataType: 'String', value: 'x' });
    const state = space.addVariable({ browseName: 'E', dataType: 'ServerState', value: 0 });
    expect(target(analog.nodeId)).toMatchObject({ numericType: BuiltInType.Float, euRange: { low: 0, high: 50 } });
    expect(target(text.nodeId)).toMatchObject({ numericType: undefined, euRange: undefined });
    expect(target(state.nodeId).numericType).toBeUndefined();
  });

  it('are refused with the code for the item', () => {
    const node = space.addVariable({ browseName: 'V', dataType: 'Double', value: 1 });
    expect(open(NodeIds.numeric(0, 9_999_999))).toBe(StatusCodes.BadNodeIdUnknown);
    expect(open(node.nodeId, { attributeId: AttributeIds.Executable })).toBe(StatusCodes.BadAttributeIdInvalid);
    expect(open(NodeIds.numeric(0, 85))).toBe(StatusCodes.BadAttributeIdInvalid);
    expect(open(node.nodeId, { indexRange: '2:1' })).toBe(StatusCodes.BadIndexRangeInvalid);
    expect(open(node.nodeId, { dataEncoding: new QualifiedName(0, 'Default Binary') })).toBe(StatusCodes.BadDataEncodingInvalid);
  });

  it('open items that may not be read, and say so in the value', () => {
    const node = space.addVariable({ browseName: 'W', dataType: 'Double', value: 1, accessLevel: 2 });
    expect(target(node.nodeId).read(session())).toMatchObject({ statusCode: StatusCodes.BadNotReadable });
    expect(target(node.nodeId).observe(() => {}, holder)).toBeUndefined();
  });

  it('stop showing values once the session may no longer read them', () => {
    const node = space.addVariable({ browseName: 'V', dataType: 'Double', value: 1 });
    const seen: unknown[] = [];
    target(node.nodeId).observe((value) => seen.push(value.value?.value ?? value.statusCode), holder);
    node.setValue(2);
    node.editExtras().rolePermissions = [];
    node.setValue(3);
    expect(seen).toEqual([2, StatusCodes.BadUserAccessDenied]);
  });

  it('show what the Session may read that they belong to now', () => {
    const node = space.addVariable({ browseName: 'V', dataType: 'Double', value: 1 });
    node.editExtras().accessRestrictions = AccessRestrictionType.EncryptionRequired;
    const seen: unknown[] = [];
    const owner = { session: session(undefined, MessageSecurityMode.SignAndEncrypt) };
    target(node.nodeId).observe((value) => seen.push(value.value?.value ?? value.statusCode), owner);
    node.setValue(2);
    owner.session = session(undefined, MessageSecurityMode.Sign);
    node.setValue(3);
    expect(seen).toEqual([2, StatusCodes.BadSecurityModeInsufficient]);
  });

  it('of one variable come and go in no more time than those of many', () => {
    const node = space.addVariable({ browseName: 'V', dataType: 'Double', value: 1 });
    const watched = target(node.nodeId);
    let reports = 0;
    const startedAt = performance.now();
    const stops = Array.from({ length: 50_000 }, () => watched.observe(() => reports++, holder));
    node.setValue(2);
    for (const stop of stops) stop?.();
    node.setValue(3);
    expect(reports).toBe(50_000);
    expect(node.details?.observers).toBeUndefined();
    // Milliseconds when each costs the same, many seconds when each costs as much as there are others.
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });

  it('report BadNodeIdUnknown when their node is deleted', () => {
    const node = space.addVariable({ browseName: 'V', dataType: 'Double', value: 1 });
    const watched = target(node.nodeId);
    const seen: number[] = [];
    watched.observe((value) => seen.push(value.statusCode), holder);
    space.deleteNode(node);
    expect(seen).toEqual([StatusCodes.BadNodeIdUnknown]);
    expect(watched.read(session())).toMatchObject({ statusCode: StatusCodes.BadNodeIdUnknown });
  });
});
