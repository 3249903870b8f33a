// For tests that are not about numbers (R50): they are put into what has none, so that it could have come to be, and taken out of what comes of it.

export const [LEASE, LATER, LATEST] = [3, 4, 6];
const ANSWERS = ["OK", "ASSENT", "GRANT", "REFUSE", "ACK"];

/** A message: an answer is of what is asked, and all else of a question later than that of the lease. @param {any} m */
export function asked(m) {
  const question = ANSWERS.includes(m.type) ? LATEST : LATER;
  return { question, ...(m.type === "ELECTION" && { keeps: null }), ...m };
}

/** A state with numbers. @param {any} s @param {string} me @param {readonly string[]} members */
export function numbered(s, me, members) {
  const lease = s.leader === null || s.leader === me ? 0 : LEASE;
  const asks = ["candidate", "claimant"].includes(s.role) || (s.role === "electing" && s.support.length > 0);
  const more = { lease, asked: asks ? LATEST : 0, latest: LATEST };
  if (s.role !== "leader") return { ...s, ...more };
  const answered = members.filter((id) => id !== me).map((node) => ({ node, question: s.support.includes(node) ? LATER : 2 }));
  return { ...s, ...more, dated: 2 * (s.support.length + 1) > members.length ? LATER : 2, answered };
}

/** A state, a promise, a message or effects without numbers. @param {any} v @returns {any} */
export function plain(v) {
  if (Array.isArray(v)) return v.map(plain);
  if (typeof v !== "object" || v === null) return v;
  const { lease, asked, latest, dated, answered, question, keeps, granted, reserved, ...rest } = v;
  return Object.fromEntries(Object.entries(rest).map(([k, w]) => [k, k === "configuration" ? w : plain(w)]));
}
