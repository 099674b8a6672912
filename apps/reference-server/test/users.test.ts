import { describe, expect, it } from 'vitest';
import { hashPassword, parsePasswordHash, verifyPassword } from '../src/users/password-hash.ts';
import { UserList } from '../src/users/user-list.ts';

const CHEAP = 10;

describe('the hash of a password', () => {
  it('is in PHC format, has a salt of its own, and knows the password only', async () => {
    const [first, second] = await Promise.all([hashPassword('open sesame', CHEAP), hashPassword('open sesame', CHEAP)]);
    expect(first).toMatch(/^\$scrypt\$ln=10,r=8,p=1\$[\w+/]{22}\$[\w+/]{43}$/u);
    expect(first).not.toBe(second);
    const hash = parsePasswordHash(first);
    if (hash === undefined) throw new Error('unreadable');
    expect(await verifyPassword('open sesame', hash)).toBe(true);
    expect(await verifyPassword('open sesame ', hash)).toBe(false);
  });

  it('agrees with a test vector of RFC 7914', async () => {
    // scrypt("pleaseletmein", "SodiumChloride", N=16384, r=8, p=1), the first 32 bytes.
    const digest = Buffer.from('7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2', 'hex');
    const [salt, hash] = [Buffer.from('SodiumChloride'), digest].map((bytes) => bytes.toString('base64').replace(/=+$/u, ''));
    const parsed = parsePasswordHash(`$scrypt$ln=14,r=8,p=1$${salt}$${hash}`);
    if (parsed === undefined) throw new Error('unreadable');
    expect(await verifyPassword('pleaseletmein', parsed)).toBe(true);
  });

  it.each([
    'open sesame',
    '$scrypt$ln=15,r=8,p=1$AAAAAAAAAAAAAAAAAAAAAA',
    '$scrypt$ln=25,r=8,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
    '$scrypt$ln=9,r=8,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
    '$argon2id$ln=15,r=8,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
  ])('is not %s', (text) => {
    expect(parsePasswordHash(text)).toBeUndefined();
  });
});

describe('a list of users', () => {
  it('lets in who knows the password behind the hash, and again without working it out again', async () => {
    const users = new UserList([{ name: 'ann', passwordHash: await hashPassword('secret', CHEAP), roles: ['Operator'] }]);
    expect(await users.validate('ann', 'secret')).toMatchObject({ name: 'ann' });
    expect(await users.validate('ann', 'Secret')).toBeUndefined();
    expect(await users.validate('bob', 'secret')).toBeUndefined();
    expect(await users.validate('ann', 'secret')).toMatchObject({ name: 'ann' });
  });

  it('can be replaced: who was taken out is refused, who was added gets in, a changed password counts at once', async () => {
    const [old, next] = await Promise.all([hashPassword('old', CHEAP), hashPassword('new', CHEAP)]);
    const users = new UserList([
      { name: 'ann', passwordHash: old, roles: [] },
      { name: 'bob', password: 'b', roles: [] },
    ]);
    expect(await users.validate('ann', 'old')).toBeDefined();
    users.replace([
      { name: 'ann', passwordHash: next, roles: ['Engineer'] },
      { name: 'eve', password: 'e', roles: [] },
    ]);
    expect(await users.validate('ann', 'old')).toBeUndefined();
    expect((await users.validate('ann', 'new'))?.roles).toHaveLength(3);
    expect(await users.validate('bob', 'b')).toBeUndefined();
    expect(await users.validate('eve', 'e')).toBeDefined();
  });

  it('refuses with BadServerTooBusy, not as a wrong password, when too many wait to be checked', async () => {
    const users = new UserList([{ name: 'ann', passwordHash: await hashPassword('secret', CHEAP), roles: [] }]);
    const answers = await Promise.allSettled(Array.from({ length: 70 }, () => users.validate('ann', 'wrong')));
    const refused = answers.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
    expect(refused).toHaveLength(4);
    expect(refused[0]?.reason).toMatchObject({ name: 'ServerTooBusyError', retryAfterMs: 1000 });
    expect(await users.validate('ann', 'secret')).toBeDefined();
  });
});
