/** The name under which passkeys are made: a browser uses them on pages of this machine only. */
export const RELYING_PARTY = "localhost";
