export type Row = {
  readonly app: string;
  readonly text: string;
};
