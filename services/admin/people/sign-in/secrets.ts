import { hashSecret } from '#base/tokens';

// What the provider sees of a sign-in, and what it must send back, follow from the secret of the browser but do not reveal it.

export const stateOf = (secret: string): string => hashSecret(`state ${secret}`);
export const nonceOf = (secret: string): string => hashSecret(`nonce ${secret}`);
export const verifierOf = (secret: string): string => hashSecret(`code verifier ${secret}`);
