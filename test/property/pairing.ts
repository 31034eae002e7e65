/** True if every left item can be paired with a distinct matching right item. */
export function canPairAll<L, R>(
  left: readonly L[],
  right: readonly R[],
  fits: (right: R, left: L) => boolean,
): boolean {
  const partners = new Map<R, L>();
  const findPartner = (item: L, tried: Set<R>): boolean => {
    for (const candidate of right) {
      if (tried.has(candidate) || !fits(candidate, item)) continue;
      tried.add(candidate);
      const holder = partners.get(candidate);
      if (holder === undefined || findPartner(holder, tried)) {
        partners.set(candidate, item);
        return true;
      }
    }
    return false;
  };
  return left.every((item) => findPartner(item, new Set()));
}
