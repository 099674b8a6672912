import { StatusCodes } from '@bulkhead/types';
import { decodeErrorMessage } from '@bulkhead/uacp';
import { describe, expect, it } from 'vitest';
import { errorReply } from '../src/error-reply.ts';

describe('an ERR message of the server', () => {
  it('says when to come back to a server that is too busy', () => {
    const { error, reason } = decodeErrorMessage(errorReply(StatusCodes.BadServerTooBusy));
    expect(error).toBe(StatusCodes.BadServerTooBusy);
    expect(reason).toMatch(/ RetryAfterMs=1000$/u);
  });

  it("says no more than the specification's text of any other code", () => {
    expect(decodeErrorMessage(errorReply(StatusCodes.BadSecurityChecksFailed)).reason).not.toContain('RetryAfterMs');
  });
});
