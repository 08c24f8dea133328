/** The life of a change request, pure: which state follows which, who may bring it about, and what it is told as. */
export * from './change-request.ts';
