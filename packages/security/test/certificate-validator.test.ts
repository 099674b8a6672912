import { StatusCodes, type UaStatusError } from '@bulkhead/types';
import { describe, expect, it, vi } from 'vitest';
import {
  Certificate,
  CertificateValidator,
  type CertificateValidatorOptions,
  ExtendedKeyUsage,
  KeyUsage,
  MemoryTrustList,
  SecurityPolicies,
  type TrustListContent,
  type ValidationRequest,
} from '../src/index.ts';
import { der } from './support/der-writer.ts';
import {
  APPLICATION_URI,
  type CertificateFields,
  DAY_MS,
  extension,
  makeCa,
  makeCertificate,
  makeRevocationList,
  NOW_MS,
  rsaKey,
} from './support/make-certificate.ts';

const key = rsaKey(2048);
const root = makeCa(rsaKey(2048, 'ca'));
const intermediate = makeCa(rsaKey(2048, 'intermediate'), { commonName: 'Intermediate CA', issuer: root });
const rootList = makeRevocationList(root);
const intermediateList = makeRevocationList(intermediate);
const REQUEST: ValidationRequest = { role: 'application', policy: SecurityPolicies.Basic256Sha256, nowMs: NOW_MS };

class RecordingTrustList extends MemoryTrustList {
  readonly rejected: Certificate[] = [];

  override reject(certificate: Certificate): void {
    this.rejected.push(certificate);
  }
}

/** `Good`, or the name of the status code. */
async function validate(
  sent: readonly Certificate[],
  content: TrustListContent,
  request: Partial<ValidationRequest> = {},
  options: CertificateValidatorOptions = {},
): Promise<string> {
  const validator = new CertificateValidator(new MemoryTrustList(content), options);
  const outcome = await validator.validate(sent, { ...REQUEST, ...request }).then(
    () => 'Good',
    (error: UaStatusError) => Object.entries(StatusCodes).find(([, code]) => code === error.statusCode)?.[0] ?? String(error),
  );
  return outcome;
}

function selfSigned(fields: Partial<CertificateFields> = {}): Certificate {
  return makeCertificate({ key, ...fields });
}

const trusting = (certificate: Certificate): TrustListContent => ({ trusted: [certificate] });

describe('a self-signed certificate', () => {
  it('passes when it is trusted and is refused when it is not', async () => {
    const certificate = selfSigned();
    expect(await validate([certificate], trusting(certificate))).toBe('Good');
    expect(await validate([certificate], {})).toBe('BadCertificateUntrusted');
    expect(await validate([certificate], { issuers: [certificate] })).toBe('BadCertificateUntrusted');
    expect(await validate([certificate], trusting(selfSigned()))).toBe('BadCertificateUntrusted');
    expect(await validate([], trusting(certificate))).toBe('BadCertificateInvalid');
  });

  it('is refused when its signature is wrong, before trust is asked', async () => {
    const forged = makeCertificate({ key, commonName: 'Root CA', issuer: { key: rsaKey(2048, 'ca'), certificate: root.certificate } });
    expect(await validate([forged], trusting(forged))).toBe('BadCertificateInvalid');
  });

  it('is refused outside its validity period, to the second', async () => {
    const certificate = selfSigned({ notBeforeMs: NOW_MS, notAfterMs: NOW_MS + DAY_MS });
    const at = (nowMs: number, options = {}): Promise<string> => validate([certificate], trusting(certificate), { nowMs }, options);
    expect(await at(NOW_MS)).toBe('Good');
    expect(await at(NOW_MS + DAY_MS)).toBe('Good');
    expect(await at(NOW_MS - 1)).toBe('BadCertificateTimeInvalid');
    expect(await at(NOW_MS + DAY_MS + 1)).toBe('BadCertificateTimeInvalid');
    expect(await at(NOW_MS - 1, { clockToleranceMs: 1 })).toBe('Good');
    expect(await at(NOW_MS + DAY_MS + 1, { clockToleranceMs: 1 })).toBe('Good');
  });

  it('must carry exactly the ApplicationUri that is asked for', async () => {
    const certificate = selfSigned({ uris: ['urn:first', APPLICATION_URI] });
    const withUri = (applicationUri: string): Promise<string> => validate([certificate], trusting(certificate), { applicationUri });
    expect(await withUri(APPLICATION_URI)).toBe('Good');
    expect(await withUri(APPLICATION_URI.slice(0, -1))).toBe('BadCertificateUriInvalid');
    expect(await withUri(APPLICATION_URI.toUpperCase())).toBe('BadCertificateUriInvalid');
    expect(await withUri('')).toBe('BadCertificateUriInvalid');
    const without = selfSigned({ uris: [] });
    expect(await validate([without], trusting(without), { applicationUri: '' })).toBe('BadCertificateUriInvalid');
  });

  it('must name one of the hosts that are asked for', async () => {
    const ipAddresses = [Buffer.from([10, 0, 0, 7]), Buffer.from('20010db8000000000000000000000001', 'hex')];
    const certificate = selfSigned({ dnsNames: ['plc.example'], ipAddresses });
    const withHosts = (...hostNames: string[]): Promise<string> => validate([certificate], trusting(certificate), { hostNames });
    for (const host of ['plc.example', 'PLC.Example.', '10.0.0.7', '2001:db8::1', '[2001:DB8:0::1]'])
      expect(await withHosts(host)).toBe('Good');
    expect(await withHosts('other', 'plc.example')).toBe('Good');
    for (const host of ['plc.example.org', 'xplc.example', '10.0.0.8', '2001:db8::2', '', 'a b', '%']) {
      expect(await withHosts(host)).toBe('BadCertificateHostNameInvalid');
    }
    expect(await withHosts()).toBe('BadCertificateHostNameInvalid');
  });

  it('must be allowed to sign and to encipher data', async () => {
    const all = KeyUsage.DigitalSignature | KeyUsage.DataEncipherment;
    for (const [keyUsage, outcome] of [
      [all, 'Good'],
      [KeyUsage.DigitalSignature, 'BadCertificateUseNotAllowed'],
      [KeyUsage.DataEncipherment, 'BadCertificateUseNotAllowed'],
      [0, 'BadCertificateUseNotAllowed'],
    ] as const) {
      const certificate = selfSigned({ keyUsage });
      expect(await validate([certificate], trusting(certificate))).toBe(outcome);
    }
    const userCertificate = selfSigned({ keyUsage: KeyUsage.DigitalSignature });
    expect(await validate([userCertificate], trusting(userCertificate), { role: 'user' })).toBe('Good');
  });

  it('must be made for the side it is on, if it says so', async () => {
    const { ServerAuth, ClientAuth, Any } = ExtendedKeyUsage;
    const outcome = async (purposes: readonly string[] | undefined, applicationType?: 'client' | 'server'): Promise<string> => {
      const certificate = selfSigned(purposes === undefined ? {} : { extendedKeyUsage: purposes });
      return validate([certificate], trusting(certificate), { applicationType });
    };
    expect(await outcome([ClientAuth], 'client')).toBe('Good');
    expect(await outcome([ClientAuth], 'server')).toBe('BadCertificateUseNotAllowed');
    expect(await outcome([ServerAuth], 'client')).toBe('BadCertificateUseNotAllowed');
    expect(await outcome([ServerAuth])).toBe('Good');
    expect(await outcome([Any], 'server')).toBe('Good');
    expect(await outcome(undefined, 'server')).toBe('Good');
    expect(await outcome(['2b06010505070303'])).toBe('BadCertificateUseNotAllowed');
  });

  it('must have a key and a signature that the policy allows', async () => {
    const short = makeCertificate({ key: rsaKey(1024) });
    const weak = selfSigned({ hash: 'sha1' });
    const strong = selfSigned({ hash: 'sha512' });
    expect(await validate([short], trusting(short))).toBe('BadCertificatePolicyCheckFailed');
    expect(await validate([weak], trusting(weak))).toBe('BadCertificatePolicyCheckFailed');
    expect(await validate([strong], trusting(strong))).toBe('Good');
    expect(await validate([short], {})).toBe('BadCertificatePolicyCheckFailed');
    expect(await validate([short], trusting(short), { policy: SecurityPolicies.None })).toBe('Good');
    expect(await validate([weak], trusting(weak), { policy: undefined })).toBe('Good');
  });

  it('is refused with a critical extension that is not known', async () => {
    const odd = selfSigned({ extraExtensions: [extension('2a030405', true, der(0x05))] });
    const harmless = selfSigned({ extraExtensions: [extension('2a030405', false, der(0x05))] });
    expect(await validate([odd], trusting(odd))).toBe('BadCertificateInvalid');
    expect(await validate([harmless], trusting(harmless))).toBe('Good');
  });
});

describe('a certificate of a CA', () => {
  const issued = makeCertificate({ key, issuer: root });
  const trustsRoot: TrustListContent = { trusted: [root.certificate], revocationLists: [rootList] };

  it('passes when it or its CA is trusted and its revocation list is there', async () => {
    expect(await validate([issued], trustsRoot)).toBe('Good');
    expect(await validate([issued], { trusted: [issued], issuers: [root.certificate], revocationLists: [rootList] })).toBe('Good');
    expect(await validate([issued, root.certificate], { trusted: [issued], revocationLists: [rootList] })).toBe('Good');
  });

  it('is not trusted because its CA is a known issuer or was sent along', async () => {
    expect(await validate([issued], { issuers: [root.certificate], revocationLists: [rootList] })).toBe('BadCertificateUntrusted');
    expect(await validate([issued, root.certificate], { revocationLists: [rootList] })).toBe('BadCertificateUntrusted');
  });

  it('is refused when its CA is not known, even if it is trusted itself', async () => {
    expect(await validate([issued], {})).toBe('BadCertificateChainIncomplete');
    expect(await validate([issued], trusting(issued))).toBe('BadCertificateChainIncomplete');
  });

  it('finds its CA by signature among those of the same name', async () => {
    const plain = { omitKeyIds: true };
    const impostor = makeCa(rsaKey(2048, 'impostor'), plain).certificate;
    const genuine = makeCa(rsaKey(2048, 'ca'), plain);
    const certificate = makeCertificate({ key, issuer: genuine, ...plain });
    const list = makeRevocationList(genuine);
    expect(await validate([certificate], { trusted: [impostor, genuine.certificate], revocationLists: [list] })).toBe('Good');
    expect(await validate([certificate, genuine.certificate], { trusted: [impostor], revocationLists: [list] })).toBe(
      'BadCertificateUntrusted',
    );
    expect(await validate([certificate], { trusted: [impostor], revocationLists: [list] })).toBe('BadCertificateInvalid');
  });

  it('is refused without a revocation list, or with one that is out of date', async () => {
    const old = makeRevocationList(root, { nextUpdateMs: NOW_MS - 1 });
    const foreign = makeRevocationList({ key: rsaKey(2048, 'impostor'), certificate: root.certificate });
    expect(await validate([issued], { trusted: [root.certificate] })).toBe('BadCertificateRevocationUnknown');
    expect(await validate([issued], { trusted: [root.certificate], revocationLists: [old] })).toBe('BadCertificateRevocationUnknown');
    expect(await validate([issued], { trusted: [root.certificate], revocationLists: [foreign] })).toBe('BadCertificateRevocationUnknown');
    expect(await validate([issued], { trusted: [root.certificate] }, {}, { requireRevocationLists: false })).toBe('Good');
  });

  it('is refused when it is revoked, and the newest list decides', async () => {
    const revoking = makeRevocationList(root, { revoked: [issued] });
    const newer = makeRevocationList(root, { thisUpdateMs: NOW_MS - 1000 });
    expect(await validate([issued], { trusted: [root.certificate], revocationLists: [revoking] })).toBe('BadCertificateRevoked');
    expect(
      await validate([issued], { trusted: [root.certificate], revocationLists: [revoking] }, {}, { requireRevocationLists: false }),
    ).toBe('BadCertificateRevoked');
    expect(await validate([issued], { trusted: [root.certificate], revocationLists: [revoking, newer] })).toBe('Good');
    expect(await validate([issued], { trusted: [root.certificate], revocationLists: [newer, revoking] })).toBe('Good');
  });

  it('is refused when its CA is expired, or is no CA', async () => {
    const expired = makeCa(rsaKey(2048, 'ca'), { notAfterMs: NOW_MS - 1 });
    expect(await validate([issued], { trusted: [expired.certificate], revocationLists: [rootList] })).toBe(
      'BadCertificateIssuerTimeInvalid',
    );
    const application = { key, certificate: makeCertificate({ key, commonName: 'Plain', keyUsage: 0xff }) };
    const child = makeCertificate({ key: rsaKey(2048, 'child'), issuer: application });
    expect(await validate([child, application.certificate], trusting(application.certificate))).toBe('BadCertificateIssuerUseNotAllowed');
    const silent = makeCa(rsaKey(2048, 'ca'), { keyUsage: KeyUsage.CrlSign });
    expect(await validate([issued], { trusted: [silent.certificate], revocationLists: [rootList] })).toBe(
      'BadCertificateIssuerUseNotAllowed',
    );
  });
});

describe('a certificate below an intermediate CA', () => {
  const issued = makeCertificate({ key, issuer: intermediate });
  const revocationLists = [rootList, intermediateList];

  it('finds the intermediate CA among the issuers or in what the peer sent, in any order', async () => {
    expect(await validate([issued], { trusted: [root.certificate], issuers: [intermediate.certificate], revocationLists })).toBe('Good');
    expect(await validate([issued], { trusted: [intermediate.certificate], issuers: [root.certificate], revocationLists })).toBe('Good');
    expect(await validate([issued, root.certificate, intermediate.certificate], { trusted: [root.certificate], revocationLists })).toBe(
      'Good',
    );
    expect(await validate([issued], { trusted: [root.certificate], revocationLists })).toBe('BadCertificateChainIncomplete');
    expect(await validate([issued, intermediate.certificate], { trusted: [intermediate.certificate], revocationLists })).toBe(
      'BadCertificateChainIncomplete',
    );
  });

  it('is refused when the intermediate CA is revoked or its list is missing', async () => {
    const content = { trusted: [root.certificate], issuers: [intermediate.certificate] };
    const revoking = makeRevocationList(root, { revoked: [intermediate.certificate] });
    expect(await validate([issued], { ...content, revocationLists: [intermediateList, revoking] })).toBe('BadCertificateIssuerRevoked');
    expect(await validate([issued], { ...content, revocationLists: [intermediateList] })).toBe('BadCertificateIssuerRevocationUnknown');
    expect(await validate([issued], { ...content, revocationLists: [rootList] })).toBe('BadCertificateRevocationUnknown');
  });

  it('is refused when the path is longer than a CA allows', async () => {
    const short = makeCa(rsaKey(2048, 'ca'), { pathLength: 0 });
    const content = { trusted: [short.certificate], issuers: [intermediate.certificate], revocationLists };
    expect(await validate([issued], content)).toBe('BadCertificateIssuerUseNotAllowed');
    const enough = makeCa(rsaKey(2048, 'ca'), { pathLength: 1 });
    expect(await validate([issued], { ...content, trusted: [enough.certificate] })).toBe('Good');
  });
});

describe('hostile chains', () => {
  it('two CAs that issue each other end in a refusal', async () => {
    const [keyA, keyB] = [rsaKey(2048, 'ca'), rsaKey(2048, 'intermediate')];
    const a = makeCa(keyA, { commonName: 'A', issuer: { key: keyB, certificate: makeCa(keyB, { commonName: 'B' }).certificate } });
    const b = makeCa(keyB, { commonName: 'B', issuer: a });
    const leaf = makeCertificate({ key, issuer: a });
    for (const sent of [
      [leaf, a.certificate, b.certificate],
      [a.certificate, b.certificate, a.certificate],
    ]) {
      expect(await validate(sent, {})).toMatch(/^BadCertificate(Invalid|ChainIncomplete)$/);
    }
  });

  it('a heap of certificates with one name costs a bounded number of signature checks', async () => {
    const plain = { omitKeyIds: true };
    const leaf = makeCertificate({ key, issuer: { key: rsaKey(2048, 'impostor'), certificate: root.certificate }, ...plain });
    const heap = Array.from({ length: 60 }, () => makeCa(rsaKey(2048, 'ca'), plain).certificate);
    const checks = vi.spyOn(Certificate.prototype, 'isSignedBy');
    try {
      expect(await validate([leaf, ...heap], {})).toBe('BadCertificateInvalid');
      expect(checks.mock.calls.length).toBeLessThanOrEqual(20);
    } finally {
      checks.mockRestore();
    }
  });

  it('a chain of certificates that all have one name costs a bounded number of signature checks', async () => {
    const chain = [makeCa(key, { omitKeyIds: true })];
    for (let i = 0; i < 9; i++) {
      chain.push(makeCa(rsaKey(1024, `link ${i}`), { omitKeyIds: true, issuer: chain[i] as (typeof chain)[0] }));
    }
    const [leaf, ...issuers] = chain.map(({ certificate }) => certificate).reverse();
    const checks = vi.spyOn(Certificate.prototype, 'isSignedBy');
    try {
      await validate([leaf as Certificate, ...issuers.reverse()], {});
      expect(checks.mock.calls.length).toBeLessThanOrEqual(20);
    } finally {
      checks.mockRestore();
    }
  });
});

describe('CertificateValidator', () => {
  it('auto-accepts an untrusted application certificate but no other fault, and says so', async () => {
    const options = { autoAcceptUntrustedCertificates: true };
    const certificate = selfSigned();
    const trustList = new RecordingTrustList();
    const validator = new CertificateValidator(trustList, options);
    expect(await validator.validate([certificate], REQUEST)).toMatchObject({ isAutoAccepted: true, path: [certificate] });
    expect(trustList.rejected).toEqual([]);
    trustList.replace({ trusted: [certificate] });
    expect(await validator.validate([certificate], REQUEST)).toMatchObject({ isAutoAccepted: false });

    const expired = selfSigned({ notAfterMs: NOW_MS - 1 });
    expect(await validate([expired], {}, {}, options)).toBe('BadCertificateTimeInvalid');
    expect(await validate([certificate], {}, { applicationUri: 'urn:other' }, options)).toBe('BadCertificateUriInvalid');
    expect(await validate([makeCertificate({ key, issuer: root })], {}, {}, options)).toBe('BadCertificateChainIncomplete');
    expect(await validate([certificate], {}, { role: 'user' }, options)).toBe('BadCertificateUntrusted');
  });

  it('hands refused certificates to the trust list, unless they are trusted', async () => {
    const trustList = new RecordingTrustList();
    const validator = new CertificateValidator(trustList);
    const [unknown, expired] = [selfSigned(), selfSigned({ notAfterMs: NOW_MS - 1 })];
    await expect(validator.validate([unknown], REQUEST)).rejects.toMatchObject({ statusCode: StatusCodes.BadCertificateUntrusted });
    trustList.replace({ trusted: [expired] });
    await expect(validator.validate([expired], REQUEST)).rejects.toMatchObject({ statusCode: StatusCodes.BadCertificateTimeInvalid });
    expect(trustList.rejected).toEqual([unknown]);
  });

  it('reports the first fault in the order of OPC 10000-4 Table 100', async () => {
    const everything = {
      hash: 'sha1',
      notAfterMs: NOW_MS - 1,
      uris: [],
      dnsNames: [],
      keyUsage: KeyUsage.KeyAgreement,
      issuer: root,
    } as const;
    const request = { hostNames: ['plc'], applicationUri: APPLICATION_URI };
    const bad = makeCertificate({ key, ...everything });
    const steps: string[] = [await validate([bad], {}, request)];
    const sha2 = makeCertificate({ key, ...everything, hash: 'sha256' });
    const valid = makeCertificate({ key, ...everything, hash: 'sha256', notAfterMs: NOW_MS + 1 });
    const named = makeCertificate({ key, issuer: root, uris: [], dnsNames: ['plc'], keyUsage: 0 });
    const addressed = makeCertificate({ key, issuer: root, dnsNames: ['plc'], keyUsage: 0 });
    const usable = makeCertificate({ key, issuer: root, dnsNames: ['plc'] });
    steps.push(await validate([bad], { issuers: [root.certificate] }, request));
    steps.push(await validate([sha2], { issuers: [root.certificate] }, request));
    for (const certificate of [sha2, valid, named, addressed, usable]) {
      steps.push(await validate([certificate], { trusted: [root.certificate] }, request));
    }
    steps.push(
      await validate(
        [usable],
        { trusted: [root.certificate], revocationLists: [makeRevocationList(root, { revoked: [usable] })] },
        request,
      ),
    );
    expect(steps).toEqual([
      'BadCertificateChainIncomplete',
      'BadCertificatePolicyCheckFailed',
      'BadCertificateUntrusted',
      'BadCertificateTimeInvalid',
      'BadCertificateHostNameInvalid',
      'BadCertificateUriInvalid',
      'BadCertificateUseNotAllowed',
      'BadCertificateRevocationUnknown',
      'BadCertificateRevoked',
    ]);
  });
});
