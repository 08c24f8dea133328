import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

/** Paths of PEM files. Keys are PKCS #8 and have no passphrase. */
export type Identity = { readonly certificate: string; readonly key: string };

export type Certificates = {
  /** The authority of `server` and `client`, and another one that has signed neither. */
  readonly authority: string;
  readonly strangerAuthority: string;
  /** For 127.0.0.1 only, so it is the wrong one for the name localhost. */
  readonly server: Identity;
  readonly client: Identity;
  /** A further one of the authority, with extensions as openssl writes them. */
  readonly sign: (name: string, extensions: string) => Promise<Identity>;
  /** A file beside the certificates, for other contents that an engine reads from a file. */
  readonly write: (name: string, text: string) => Promise<string>;
  dispose(): Promise<void>;
};

const PLACE = path.resolve('.local/test-engines');

/** Creates certificates for one test file with openssl. They are valid for a day. */
export async function createCertificates(): Promise<Certificates> {
  await mkdir(PLACE, { recursive: true });
  const directory = await mkdtemp(path.join(PLACE, 'certificates-'));
  const inside = (name: string): string => path.join(directory, name);
  const write = async (name: string, text: string): Promise<string> => {
    await writeFile(inside(name), text);
    return inside(name);
  };
  const authority = await createAuthority(inside, 'authority');
  const strangers = await createAuthority(inside, 'stranger');
  const sign = async (name: string, extensions: string): Promise<Identity> => {
    const [key, request, certificate] = [inside(`${name}.key`), inside(`${name}.csr`), inside(`${name}.pem`)];
    const extensionFile = await write(`${name}.ext`, extensions);
    await openssl(['req', '-new', ...newKey(key), '-subj', `/CN=${name}`, '-out', request]);
    const issuer = ['-CA', authority.certificate, '-CAkey', authority.key, '-CAcreateserial', '-sha256'];
    const signed = ['-in', request, '-extfile', extensionFile, '-days', '1', '-out', certificate];
    await openssl(['x509', '-req', ...issuer, ...signed]);
    return { certificate, key };
  };
  return {
    authority: authority.certificate,
    strangerAuthority: strangers.certificate,
    server: await sign('server', 'subjectAltName=IP:127.0.0.1\n'),
    client: await sign('client', 'extendedKeyUsage=clientAuth\n'),
    sign,
    write,
    dispose: () => rm(directory, { recursive: true, force: true }),
  };
}

/** Certificate and key in one text, as Kafka's key stores of type PEM contain them. */
export async function bundle({ certificate, key }: Identity): Promise<string> {
  return `${await readFile(key, 'utf8')}${await readFile(certificate, 'utf8')}`;
}

async function createAuthority(inside: (name: string) => string, name: string): Promise<Identity> {
  const [key, certificate] = [inside(`${name}.key`), inside(`${name}.pem`)];
  const extensions = ['-addext', 'keyUsage=critical,keyCertSign'];
  const subject = ['-subj', `/CN=flagmeter test ${name}`, '-days', '1'];
  await openssl(['req', '-x509', ...newKey(key), ...subject, ...extensions, '-out', certificate]);
  return { certificate, key };
}

/** Keys of RSA would take a second of CPU for each test file. */
function newKey(file: string): string[] {
  const curve = ['-pkeyopt', 'ec_paramgen_curve:prime256v1'];
  return ['-newkey', 'ec', ...curve, '-nodes', '-keyout', file];
}

async function openssl(args: readonly string[]): Promise<void> {
  try {
    await promisify(execFile)('openssl', [...args], { timeout: 30_000 });
  } catch (cause) {
    throw new Error('certificates for the test could not be made: is openssl installed?', { cause });
  }
}
