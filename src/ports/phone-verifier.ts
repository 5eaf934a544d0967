/** Sends a one-time code to a phone. The sandbox prints it; a telephone service joins in a later issue. */
export interface CodeSender {
  send(phone: string, code: string): Promise<void>;
}
