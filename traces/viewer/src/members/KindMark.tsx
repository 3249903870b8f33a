// The shape of each kind of member: a disc of who may lead, a square of who only votes, a diamond of who only looks on.
import type { MemberKind } from '../types';

// outline returns the path of a kind round the middle, about as far as r in each direction.
export function outline(kind: MemberKind | null, r: number): string {
  if (kind === 'witness') {
    const [half, round] = [r * 0.92, r * 0.2];
    const side = 2 * (half - round);
    return `M${-half + round} ${-half} h${side} a${round} ${round} 0 0 1 ${round} ${round} v${side} a${round} ${round} 0 0 1 ${-round} ${round} h${-side} a${round} ${round} 0 0 1 ${-round} ${-round} v${-side} a${round} ${round} 0 0 1 ${round} ${-round} Z`;
  }
  if (kind === 'observer') return `M0 ${-r * 1.22} L${r * 1.22} 0 L0 ${r * 1.22} L${-r * 1.22} 0 Z`;
  return `M${-r} 0 A${r} ${r} 0 1 1 ${r} 0 A${r} ${r} 0 1 1 ${-r} 0 Z`;
}

export function KindMark({ kind, size = 14 }: { kind: MemberKind | null; size?: number }) {
  return (
    <svg class="mem-mark" data-kind={kind ?? 'none'} width={size} height={size} viewBox="-10 -10 20 20" aria-hidden="true">
      <path d={outline(kind, 7)} stroke-linejoin="round" />
    </svg>
  );
}
