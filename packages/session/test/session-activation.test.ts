import { SecurityPolicies } from '@bulkhead/security';
import { ExtensionObject, MessageSecurityMode, NodeId, StatusCodes, UserNameIdentityToken, UserTokenType } from '@bulkhead/types';
import { beforeAll, describe, expect, it } from 'vitest';
import { ANONYMOUS_TOKEN, type Application, expectCode, Harness, makeApplication, TestChannel, UNKNOWN_TOKEN, user } from './harness.ts';

const { None, Basic256Sha256, Aes128_Sha256_RsaOaep, Aes256_Sha256_RsaPss } = SecurityPolicies;
let server: Application;
let client: Application;
let stranger: Application;

beforeAll(async () => {
  [server, client, stranger] = (await Promise.all(['server', 'client', 'stranger'].map(makeApplication))) as [
    Application,
    Application,
    Application,
  ];
});

describe('ActivateSession', () => {
  it.each([Basic256Sha256, Aes128_Sha256_RsaOaep, Aes256_Sha256_RsaPss])(
    'activates anonymously and by password under $name',
    async (policy) => {
      const harness = new Harness(server);
      const channel = new TestChannel(policy, client);
      const session = await harness.create(channel, client);
      await harness.activate(session, channel, { userIdentityToken: ANONYMOUS_TOKEN, localeIds: ['de', null, 'en'] });
      const context = harness.resolve(session, channel);
      expect(context.identity.kind).toBe(UserTokenType.Anonymous);
      expect(context.localeIds).toEqual(['de', 'en']);
      await harness.activate(session, channel, { userIdentityToken: harness.passwordToken(session, 'ann', 'secret') });
      expect(context.identity).toEqual(user('ann'));
      expect(context.localeIds).toEqual(['de', 'en']);
      expect(harness.bound).toEqual(['Session 1 first true']);
      expect(harness.establishing).toBe(0);
    },
  );

  it('takes a null token as anonymous', async () => {
    const harness = new Harness(undefined);
    const channel = new TestChannel(None);
    const session = await harness.create(channel);
    await harness.activate(session, channel, { userIdentityToken: ExtensionObject.NULL });
    expect(harness.resolve(session, channel).isActivated).toBe(true);
  });

  it('refuses a signature by another key, over another nonce, or none', async () => {
    const harness = new Harness(server);
    const channel = new TestChannel(Basic256Sha256, client);
    const session = await harness.create(channel, client);
    const strange = await harness.activateRequest({ ...session, client: stranger });
    const stale = await harness.activateRequest({ ...session, serverNonce: Buffer.alloc(32, 1) });
    const none = await harness.activateRequest(session, { clientSignature: { algorithm: null, signature: null } });
    for (const request of [strange, stale, none]) {
      await expectCode(harness.manager.activateSession(request, channel), StatusCodes.BadApplicationSignatureInvalid);
    }
    expect(harness.manager.bySessionId(session.response.sessionId)?.isActivated).toBe(false);
    await harness.activate(session, channel);
    expect(harness.establishing).toBe(0);
  });

  it('takes each nonce once', async () => {
    const harness = new Harness(server);
    const channel = new TestChannel(Basic256Sha256, client);
    const session = await harness.create(channel, client);
    const request = await harness.activateRequest(session);
    const results = await Promise.allSettled([1, 2].map(() => harness.manager.activateSession(request, channel)));
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await expectCode(harness.manager.activateSession(request, channel), StatusCodes.BadApplicationSignatureInvalid);
  });

  it('refuses unknown tokens, policies and kinds of user token', async () => {
    const harness = new Harness(server);
    const channel = new TestChannel(Basic256Sha256, client);
    const session = await harness.create(channel, client);
    const tokens: [ExtensionObject, number][] = [
      [new ExtensionObject(NodeId.numeric(0, 99_999), Buffer.alloc(3)), StatusCodes.BadIdentityTokenInvalid],
      [new ExtensionObject(ANONYMOUS_TOKEN.typeId, Buffer.alloc(3)), StatusCodes.BadIdentityTokenInvalid],
      [new ExtensionObject(NodeId.numeric(0, 327), Buffer.alloc(8, 0xff)), StatusCodes.BadIdentityTokenRejected],
      [
        ExtensionObject.of(UserNameIdentityToken, { policyId: 'other', userName: 'ann', password: null, encryptionAlgorithm: null }),
        StatusCodes.BadIdentityTokenInvalid,
      ],
      [harness.passwordToken(session, '', 'secret'), StatusCodes.BadIdentityTokenInvalid],
      [harness.passwordToken(session, 'x'.repeat(257), 'secret'), StatusCodes.BadIdentityTokenInvalid],
    ];
    for (const [userIdentityToken, code] of tokens) await expectCode(harness.activate(session, channel, { userIdentityToken }), code);
    const request = await harness.activateRequest({ ...session, response: { ...session.response, authenticationToken: UNKNOWN_TOKEN } });
    await expectCode(harness.manager.activateSession(request, channel), StatusCodes.BadSessionIdInvalid);
    expect(harness.establishing).toBe(0);
  });

  it('refuses a wrong password, a password for an old nonce, and one that is not encrypted', async () => {
    const harness = new Harness(server, { lockout: { maxFailures: 100 } });
    const channel = new TestChannel(Basic256Sha256, client);
    const session = await harness.create(channel, client);
    const oldToken = harness.passwordToken(session, 'ann', 'secret');
    await harness.activate(session, channel);
    const plain = ExtensionObject.of(UserNameIdentityToken, {
      policyId: 'username',
      userName: 'ann',
      password: Buffer.from('secret'),
      encryptionAlgorithm: null,
    });
    await expectCode(
      harness.activate(session, channel, { userIdentityToken: harness.passwordToken(session, 'ann', 'wrong') }),
      StatusCodes.BadUserAccessDenied,
    );
    await expectCode(
      harness.activate(session, channel, { userIdentityToken: harness.passwordToken(session, 'nobody', 'x') }),
      StatusCodes.BadUserAccessDenied,
    );
    await expectCode(harness.activate(session, channel, { userIdentityToken: oldToken }), StatusCodes.BadIdentityTokenInvalid);
    await expectCode(harness.activate(session, channel, { userIdentityToken: plain }), StatusCodes.BadIdentityTokenInvalid);
    expect(harness.resolve(session, channel).identity.kind).toBe(UserTokenType.Anonymous);
    await harness.activate(session, channel, { userIdentityToken: harness.passwordToken(session, 'ann', 'secret') });
  });

  it('wipes the password after the validator had it', async () => {
    const seen: Buffer[] = [];
    const harness = new Harness(undefined, {
      userValidator: (name, password) => {
        seen.push(password);
        return user(`${name}/${password.toString()}`);
      },
    });
    const channel = new TestChannel(None);
    const session = await harness.create(channel);
    await harness.activate(session, channel, { userIdentityToken: harness.passwordToken(session, 'ann', 'secret') });
    expect(harness.resolve(session, channel).identity.name).toBe('ann/secret');
    expect(seen[0]).toEqual(Buffer.alloc(6));
  });

  it('locks a user out for the caller that guesses, without asking the validator, and for nobody else', async () => {
    let asked = 0;
    const harness = new Harness(undefined, {
      lockout: { maxFailures: 3, lockMs: 10_000 },
      userValidator: (name, password) => {
        asked++;
        return password.toString() === 'secret' ? user(name) : undefined;
      },
    });
    const guessing = new TestChannel(None, undefined, undefined, '10.0.0.66');
    const honest = new TestChannel(None, undefined, undefined, '10.0.0.1');
    const [bad, good] = [await harness.create(guessing), await harness.create(honest)];
    const attempt = (password: string) =>
      harness.activate(bad, guessing, { userIdentityToken: harness.passwordToken(bad, 'ann', password) });
    for (let i = 0; i < 3; i++) await expectCode(attempt('wrong'), StatusCodes.BadUserAccessDenied);
    await expectCode(attempt('secret'), StatusCodes.BadUserAccessDenied);
    expect(asked).toBe(3);
    await harness.activate(good, honest, { userIdentityToken: harness.passwordToken(good, 'ann', 'secret') });
    harness.runtime.advance(10_000);
    await attempt('secret');
    expect(asked).toBe(5);
  });

  it('tells nothing of guesses that run side by side once the name is locked', async () => {
    const harness = new Harness(undefined, {
      lockout: { maxFailures: 3 },
      userValidator: async (name, password) => (password.toString() === 'secret' ? user(name) : undefined),
    });
    const channel = new TestChannel(None, undefined, undefined, '10.0.0.66');
    const session = await harness.create(channel);
    const guesses = ['a', 'b', 'c', 'd', 'secret'].map((password) =>
      harness.activate(session, channel, { userIdentityToken: harness.passwordToken(session, 'ann', password) }),
    );
    for (const guess of guesses) await expectCode(guess, StatusCodes.BadUserAccessDenied);
  });
});

describe('moving a Session to another channel', () => {
  it('is allowed to the same client and user, and ends its use by the old channel', async () => {
    const harness = new Harness(server);
    const [first, second] = [new TestChannel(Basic256Sha256, client), new TestChannel(Basic256Sha256, client)];
    const session = await harness.create(first, client);
    await harness.activate(session, first, { userIdentityToken: harness.passwordToken(session, 'ann', 'secret') });
    await harness.activate(session, second, { userIdentityToken: harness.passwordToken(session, 'ann', 'secret') });
    expect(harness.resolve(session, second).identity.name).toBe('ann');
    expect(() => harness.resolve(session, first)).toThrow(expect.objectContaining({ statusCode: StatusCodes.BadSecureChannelIdInvalid }));
    expect(harness.bound).toEqual(['Session 1 first true', 'Session 1 moved true']);
  });

  it('is refused before the first activation, to another user, certificate, policy or mode', async () => {
    const harness = new Harness(server);
    const first = new TestChannel(Basic256Sha256, client);
    const session = await harness.create(first, client);
    const same = new TestChannel(Basic256Sha256, client);
    await expectCode(harness.activate(session, same), StatusCodes.BadSecureChannelIdInvalid);
    await harness.activate(session, first, { userIdentityToken: harness.passwordToken(session, 'ann', 'secret') });
    await expectCode(harness.activate(session, same), StatusCodes.BadIdentityChangeNotSupported);
    await expectCode(
      harness.activate(session, same, { userIdentityToken: harness.passwordToken(session, 'bob', 'hidden') }),
      StatusCodes.BadIdentityChangeNotSupported,
    );
    const token = () => ({ userIdentityToken: harness.passwordToken(session, 'ann', 'secret') });
    for (const channel of [
      new TestChannel(Basic256Sha256, stranger),
      new TestChannel(Aes128_Sha256_RsaOaep, client),
      new TestChannel(Basic256Sha256, client, MessageSecurityMode.Sign),
      new TestChannel(None),
    ]) {
      await expectCode(harness.activate(session, channel, token()), StatusCodes.BadSecurityChecksFailed);
    }
    expect(harness.resolve(session, first).channel).toBe(first);
    expect(harness.establishing).toBe(0);
  });
});

describe('a Session that comes back', () => {
  /** Owners with the work that they are asked for as their key. */
  function withOwners(options: { establishment?: number } = {}): { harness: Harness; asked: (string | undefined)[] } {
    const asked: (string | undefined)[] = [];
    const harness = new Harness(server, {
      ...options,
      owners: {
        ownerOf: (_channel, session, work) => {
          asked.push(session === undefined ? 'new' : (work ?? 'ordinary'));
          return { key: 'k', ownerClass: 'Shared', weight: 1 };
        },
        channelClosed: () => {},
      },
    });
    return { harness, asked };
  }

  it('RI-34 is asked for as reconnect work by a channel of the same client alone', async () => {
    const { harness, asked } = withOwners();
    const first = new TestChannel(Basic256Sha256, client);
    const session = await harness.create(first, client);
    await harness.activate(session, first);
    await harness.activate(session, new TestChannel(Basic256Sha256, client));
    const foreign = new TestChannel(Basic256Sha256, stranger);
    await expectCode(harness.activate(session, foreign), StatusCodes.BadSecurityChecksFailed);
    expect(asked).toEqual(['new', 'ordinary', 'Reconnect', 'ordinary']);
    expect(harness.establishing).toBe(0);
  });

  it('RI-34 is found by its token for another channel of the same client while it lives, and never on its own channel', async () => {
    const { harness } = withOwners();
    const [first, second, foreign] = [client, client, stranger].map((who) => new TestChannel(Basic256Sha256, who)) as [
      TestChannel,
      TestChannel,
      TestChannel,
    ];
    const session = await harness.create(first, client);
    const token = session.response.authenticationToken;
    const find = (channel: TestChannel) => harness.manager.findReturning(token, channel, harness.runtime.nowMs)?.sessionName;
    expect(find(second)).toBeUndefined();
    await harness.activate(session, first);
    expect([first, second, foreign].map(find)).toEqual([undefined, 'Session 1', undefined]);
    expect(harness.manager.findReturning(UNKNOWN_TOKEN, second, harness.runtime.nowMs)).toBeUndefined();
    const live = harness.resolve(session, first);
    expect(harness.manager.isBound(live, first, harness.runtime.nowMs)).toBe(true);
    expect(harness.manager.isBound(live, second, harness.runtime.nowMs)).toBe(false);
    expect(harness.manager.isBound(live, first, live.expiresAtMs)).toBe(false);
    expect(harness.manager.findReturning(token, second, live.expiresAtMs)).toBeUndefined();
  });

  it('has an identity of its own for each activation, of an anonymous user too', async () => {
    const harness = new Harness(server);
    const channel = new TestChannel(Basic256Sha256, client);
    const session = await harness.create(channel, client);
    await harness.activate(session, channel);
    const before = harness.resolve(session, channel).identity;
    await harness.activate(session, channel);
    expect(harness.resolve(session, channel).identity).not.toBe(before);
    expect(harness.resolve(session, channel).identity).toEqual(before);
  });
});
