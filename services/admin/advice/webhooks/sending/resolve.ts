import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { isAllowedAddress } from './addresses.ts';
import { type TargetRules, isLocalName } from './target.ts';

export type Resolved = { readonly address: string; readonly family: 4 | 6 };

/** Finds the addresses of a name, all of them. */
export type FindAddresses = (name: string) => Promise<readonly string[]>;

/** A host that has no allowed address. The message is for people, and names no address. */
export class ForbiddenAddressError extends Error {}

/**
 * The address to connect to. One forbidden address of a name forbids all of them: a name that leads into a private network at times
 * is no mistake.
 */
export async function resolveTarget(
  host: string,
  find: FindAddresses,
  { mayLoopBack }: TargetRules,
): Promise<Resolved> {
  const addresses = isIP(host) === 0 ? await find(host) : [host];
  if (!addresses.every((address) => isAllowedAddress(address, mayLoopBack)))
    throw new ForbiddenAddressError('the address leads into a private network');
  const [address] = addresses;
  if (address === undefined) throw new Error('the name has no address');
  return { address, family: isIP(address) === 6 ? 6 : 4 };
}

const TRIES = { timeout: 2000, tries: 2 };

/**
 * Asks the name servers without the thread pool of Node.js. Names whose servers do not answer would otherwise keep its threads busy,
 * and ingest needs them to decompress batches.
 */
export function createFindAddresses(servers: readonly string[] = []): FindAddresses {
  const resolver = new Resolver(TRIES);
  if (servers.length > 0) resolver.setServers(servers);
  return async (name) => {
    if (isLocalName(name)) return ['127.0.0.1'];
    const found = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const addresses = found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
    if (addresses.length === 0) throw new Error('the name has no address');
    return addresses;
  };
}
