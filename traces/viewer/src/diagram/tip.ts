// What is said of what is pointed at.
import type { Recording } from '../recording';
import { configurationOf, stampWords } from '../members/who';
import { capital, indicatorWord, messageWords, nodeId, sentence, shorten, time } from '../words';
import { when } from './axis';
import type { Hit } from './hit';

// Tip is a title, and more lines.
export interface Tip { title: string; more: string[] }

export function tipOf(recording: Recording, hit: NonNullable<Hit>): Tip {
  return 'frame' in hit ? frameTip(recording, hit.frame) : messageTip(recording, hit.message);
}

function frameTip(recording: Recording, place: number): Tip {
  const frame = recording.frames[place];
  if (!frame) return { title: '', more: [] };
  const more: string[] = [];
  if (frame.note) more.push(capital(shorten(recording, frame.note)));
  for (const indicator of frame.indicators ?? []) if (indicator.light === 'red') more.push(`${indicatorWord(indicator.name)}: broken${indicator.says ? `: ${indicator.says}` : ''}`);
  const rule = [frame.rule, frame.action].filter(Boolean).join(' · ');
  const at = recording.header.timed ? `${when(recording, place)} · event ${place + 1}` : `event ${place + 1}`;
  more.push(rule ? `${at} · ${rule}` : at);
  if (frame.by) more.push(frame.by === 'you' ? 'your intervention' : 'part of the scenario');
  return { title: sentence(recording, frame), more };
}

function messageTip(recording: Recording, number: number): Tip {
  const flight = recording.flights[number - 1];
  if (!flight) return { title: '', more: [] };
  const sent = recording.header.timed ? `sent at ${when(recording, flight.sent)}` : `sent in event ${flight.sent + 1}`;
  const after = recording.header.timed ? `after ${time((flight.endedAt ?? 0) - flight.sentAt)}` : `in event ${(flight.ended ?? 0) + 1}`;
  const carries = configurationOf(recording, flight.configuration);
  const carried = carries ? [`carries ${stampWords(carries)} of the members`] : [];
  let what = 'under way';
  if (flight.lost) what = `lost at once: the link is cut, or ${nodeId(recording, flight.to)} is down, or not heard`;
  else if (flight.ended !== undefined) what = `${flight.taken ? 'taken' : 'lost'} ${after}`;
  return { title: capital(messageWords(recording, flight)), more: [`${sent}, ${what}`, ...carried] };
}
