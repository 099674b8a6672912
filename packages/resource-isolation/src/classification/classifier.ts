import type { CallerEvidence, CallerIdentity } from '../owner.ts';

/**
 * Says for some callers whom they belong to. It replaces no authorization, and the caller never says itself who it is: what
 * protects a network path or a group of applications is up to whoever deploys the server.
 *
 * A method that is missing or returns undefined leaves the decision to what is known otherwise. An identity of class `Trusted`
 * whose key isn't configured is refused. What throws is refused too.
 */
export interface ResourceIsolationClassifier {
  /** Before anything is authenticated. @param address as observed; IPv4-mapped addresses in their IPv4 form. */
  classifyIngress?(address: string): CallerIdentity | undefined;
  /**
   * With what is verified: no application without a certificate, no user, roles or work without an activated Session.
   * Goes before `classifyIngress`.
   */
  classify?(evidence: CallerEvidence): CallerIdentity | undefined;
}
