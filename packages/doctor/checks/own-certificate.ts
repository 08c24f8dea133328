import { X509Certificate } from 'node:crypto';
import { type IdentityFiles, readIdentity } from '#runtime';
import type { Now } from '../installation.ts';
import type { Finding } from '../finding.ts';
import { judgeCertificate } from './certificate.ts';

/** Judges the certificate with which flagmeter itself listens. The configuration has checked that the files can be read. */
export function examineOwnCertificate(files: IdentityFiles, now: Now): Finding {
  const { validTo } = new X509Certificate(readIdentity(files).cert);
  return { check: 'own certificate', ...judgeCertificate(new Date(validTo), now()) };
}
