import { type Form, LIMITS, type Limits, type MemberOf } from './limits.ts';

/** What the API takes as a member of a body, for a control whose value is kept elsewhere. */
export function limitsOf<F extends Form>(form: F, member: MemberOf<F>): Limits {
  return LIMITS[form]?.[member] ?? {};
}

/** The same for a control of a form, with its name. */
export function controlOf<F extends Form>(form: F, member: MemberOf<F>): Limits & { readonly name: string } {
  return { name: member, ...limitsOf(form, member) };
}
