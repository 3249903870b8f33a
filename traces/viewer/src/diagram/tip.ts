// What is said of what is pointed at.
import type { Film } from '../film';
import { configurationOf, stampWords } from '../members/who';
import { capital, messageWords, nodeId, sentence, shorten, time } from '../words';
import { when } from './axis';
import type { Hit } from './hit';

// Tip is a title, and more lines.
export interface Tip { title: string; more: string[] }

export function tipOf(film: Film, hit: NonNullable<Hit>): Tip {
  return 'frame' in hit ? frameTip(film, hit.frame) : messageTip(film, hit.message);
}

function frameTip(film: Film, place: number): Tip {
  const frame = film.frames[place];
  if (!frame) return { title: '', more: [] };
  const more: string[] = [];
  if (frame.note) more.push(capital(shorten(film, frame.note)));
  for (const lamp of frame.lamps ?? []) if (lamp.light === 'red') more.push(`${lamp.name} is broken${lamp.says ? `: ${lamp.says}` : ''}`);
  const rule = [frame.rule, frame.action].filter(Boolean).join(' · ');
  const at = film.header.timed ? `${when(film, place)} · event ${place + 1}` : `event ${place + 1}`;
  more.push(rule ? `${at} · ${rule}` : at);
  if (frame.by) more.push(frame.by === 'you' ? 'your doing' : 'part of the scenario');
  return { title: sentence(film, frame), more };
}

function messageTip(film: Film, number: number): Tip {
  const flight = film.flights[number - 1];
  if (!flight) return { title: '', more: [] };
  const sent = film.header.timed ? `sent at ${when(film, flight.sent)}` : `sent in event ${flight.sent + 1}`;
  const after = film.header.timed ? `after ${time((flight.endedAt ?? 0) - flight.sentAt)}` : `in event ${(flight.ended ?? 0) + 1}`;
  const carries = configurationOf(film, flight.configuration);
  const carried = carries ? [`carries ${stampWords(carries)} of the members`] : [];
  let what = 'under way';
  if (flight.lost) what = `lost at once: the link is cut, or ${nodeId(film, flight.to)} is down`;
  else if (flight.ended !== undefined) what = `${flight.taken ? 'taken' : 'lost'} ${after}`;
  return { title: capital(messageWords(film, flight)), more: [`${sent}, ${what}`, ...carried] };
}
