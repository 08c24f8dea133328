/** Something that happened at a time, for example an event of a feature. */
export type Mark = { readonly at: number; readonly title: string };

export type MarkGroup = { readonly at: number; readonly marks: readonly Mark[] };

/** The marks of a chart, by time. Marks that would touch the first one of a group join that group. */
export function groupMarks(marks: readonly Mark[], touchingMs: number): MarkGroup[] {
  const groups: { at: number; marks: Mark[] }[] = [];
  for (const mark of [...marks].sort((one, other) => one.at - other.at)) {
    const last = groups.at(-1);
    if (last !== undefined && mark.at - last.at < touchingMs) last.marks.push(mark);
    else groups.push({ at: mark.at, marks: [mark] });
  }
  return groups;
}
