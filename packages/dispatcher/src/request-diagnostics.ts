import type { SessionContext } from '@bulkhead/contracts';
import { type StatusCode, StatusCodes } from '@bulkhead/types';
import type { ServiceName } from './service-messages.ts';

/** Requests of one service in one Session. */
export interface ServiceCount {
  /** Received. */
  total: number;
  /** Of these, answered with a ServiceFault for another reason than their cancellation. */
  errors: number;
}

/** What a Session asked for since it was created. */
export class SessionRequestCounts {
  readonly all: ServiceCount = { total: 0, errors: 0 };
  /** Rejected because the user may not do that. */
  unauthorized = 0;
  readonly #services: Map<ServiceName, ServiceCount> = new Map();

  of(service: ServiceName): Readonly<ServiceCount> {
    return this.#services.get(service) ?? NONE;
  }

  countReceived(service: ServiceName): void {
    this.all.total++;
    this.#count(service).total++;
  }

  countRejected(service: ServiceName, code: StatusCode): void {
    this.all.errors++;
    this.#count(service).errors++;
    if (code === StatusCodes.BadUserAccessDenied) this.unauthorized++;
  }

  #count(service: ServiceName): ServiceCount {
    let count = this.#services.get(service);
    if (count === undefined) {
      count = { total: 0, errors: 0 };
      this.#services.set(service, count);
    }
    return count;
  }
}

const NONE: Readonly<ServiceCount> = { total: 0, errors: 0 };

/** What a request is rejected with for security's sake. */
const securityCodes: ReadonlySet<StatusCode> = new Set<StatusCode>([
  StatusCodes.BadSecurityChecksFailed,
  StatusCodes.BadSecurityModeInsufficient,
  StatusCodes.BadSecurityModeRejected,
  StatusCodes.BadSecurityPolicyRejected,
  StatusCodes.BadSecureChannelIdInvalid,
  StatusCodes.BadSessionIdInvalid,
  StatusCodes.BadNonceInvalid,
  StatusCodes.BadUserAccessDenied,
  StatusCodes.BadIdentityTokenInvalid,
  StatusCodes.BadIdentityTokenRejected,
  StatusCodes.BadIdentityChangeNotSupported,
  StatusCodes.BadUserSignatureInvalid,
  StatusCodes.BadApplicationSignatureInvalid,
  StatusCodes.BadCertificateInvalid,
  StatusCodes.BadCertificateUriInvalid,
]);

/** Requests since the start: what a server's diagnostics tell of them. OPC 10000-5 §12.9, §12.12. */
export class RequestDiagnostics {
  /** Answered with a ServiceFault for another reason than their cancellation, requests for Sessions included. */
  rejectedRequests = 0;
  securityRejectedRequests = 0;
  /** CreateSession and ActivateSession requests among the rejected ones. */
  rejectedSessions = 0;
  securityRejectedSessions = 0;
  /** Gone with their Sessions. */
  readonly #bySession: WeakMap<SessionContext, SessionRequestCounts> = new WeakMap();

  ofSession(session: SessionContext): SessionRequestCounts {
    let counts = this.#bySession.get(session);
    if (counts === undefined) {
      counts = new SessionRequestCounts();
      this.#bySession.set(session, counts);
    }
    return counts;
  }

  countReceived(service: ServiceName, session: SessionContext | undefined): void {
    if (session !== undefined) this.ofSession(session).countReceived(service);
  }

  /** @param service undefined for one that the server doesn't have. */
  countRejected(service: ServiceName | undefined, session: SessionContext | undefined, code: StatusCode): void {
    const isForSecurity = securityCodes.has(code);
    this.rejectedRequests++;
    if (isForSecurity) this.securityRejectedRequests++;
    if (service === 'CreateSession' || service === 'ActivateSession') {
      this.rejectedSessions++;
      if (isForSecurity) this.securityRejectedSessions++;
    }
    if (service !== undefined && session !== undefined) this.ofSession(session).countRejected(service, code);
  }
}
