import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { UserIdentity } from '@bulkhead/contracts';
import { NodeId, ObjectIds, ServerTooBusyError, UserTokenType } from '@bulkhead/types';
import type { ConfiguredUser } from '../configuration.ts';
import { type RoleName, roleIds } from '../roles.ts';
import { type PasswordHash, parsePasswordHash, verifyPassword } from './password-hash.ts';

interface Account {
  readonly configured: ConfiguredUser;
  readonly hash: PasswordHash | undefined;
  readonly identity: UserIdentity;
  /** Keyed digest of the password, once it is known to be right: who comes back costs no scrypt. */
  digest: Buffer | undefined;
}

/** Hashes that are worked out at a time, as each takes memory and a thread. */
const MAX_RUNNING = 2;
const MAX_WAITING = 64;
/** What one that finds no place may wait before it tries again. */
const RETRY_AFTER_MS = 1000;

/** Of nobody: an unknown name takes as long as a wrong password. */
const NOBODY = '$scrypt$ln=15,r=8,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';

/** Who may log in. The list can be replaced while sessions are open; those that are stay. */
export class UserList {
  readonly #key = randomBytes(32);
  readonly #nobody = parsePasswordHash(NOBODY) as PasswordHash;
  #accounts: ReadonlyMap<string, Account> = new Map();
  #running = 0;
  #refusals = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(users: readonly ConfiguredUser[]) {
    this.replace(users);
  }

  replace(users: readonly ConfiguredUser[]): void {
    this.#accounts = new Map(users.map((user) => [user.name, this.#accountOf(user)]));
  }

  /**
   * @returns who it is, or undefined; how long that takes doesn't tell how much of a password was right.
   * @throws UaStatusError BadServerTooBusy when too many passwords wait to be checked.
   */
  readonly validate = async (name: string, password: string): Promise<UserIdentity | undefined> => {
    const account = this.#accounts.get(name);
    const digest = this.#digestOf(name, password);
    if (account?.digest !== undefined && timingSafeEqual(account.digest, digest)) return account.identity;
    await this.#enter();
    try {
      const isRight = await verifyPassword(password, account?.hash ?? this.#nobody);
      if (!isRight || account === undefined) return undefined;
      account.digest = digest;
      return account.identity;
    } finally {
      this.#leave();
    }
  };

  #accountOf(configured: ConfiguredUser): Account {
    const { name, password, passwordHash, roles } = configured;
    const before = this.#accounts.get(name);
    const hash = passwordHash === undefined ? undefined : parsePasswordHash(passwordHash);
    const known = before?.configured.passwordHash === passwordHash ? before?.digest : undefined;
    const digest = password === undefined ? known : this.#digestOf(name, password);
    return { configured, hash, identity: identify(name, roles), digest };
  }

  #digestOf(name: string, password: string): Buffer {
    return createHmac('sha256', this.#key).update(`${name.length}:${name}${password}`).digest();
  }

  async #enter(): Promise<void> {
    if (this.#running < MAX_RUNNING) {
      this.#running++;
      return;
    }
    if (this.#waiting.length >= MAX_WAITING) {
      const refusal = { id: ++this.#refusals, stage: 'PasswordCheck', reason: 'Capacity', usage: MAX_WAITING, limit: MAX_WAITING };
      throw new ServerTooBusyError(refusal, RETRY_AFTER_MS);
    }
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** The place goes to the one that has waited longest. */
  #leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#running--;
    else next();
  }
}

function identify(name: string, roles: readonly RoleName[]): UserIdentity {
  // Every session has the first, everyone who logged in the second. OPC 10000-18 §4.2.
  const ids = [ObjectIds.WellKnownRole_Anonymous, ObjectIds.WellKnownRole_AuthenticatedUser, ...roles.map((role) => roleIds[role])];
  return { kind: UserTokenType.UserName, name, roles: ids.map((id) => NodeId.numeric(0, id)) };
}
