import { selectMembers } from '#base/postgres';
import { projectSchema } from './schema.ts';

export const SELECT_PROJECT = selectMembers(projectSchema);
