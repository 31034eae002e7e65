import { useState } from "react";
import { ORDERS, type Order } from "./order-approvals.ts";

const KEPT_AS = "belay-inbox-order";

/** In which order one likes to read, kept for the next time. */
export function useOrder(): [Order, (order: Order) => void] {
  const [order, setOrder] = useState(readOrder);
  return [
    order,
    (next) => {
      localStorage.setItem(KEPT_AS, next);
      setOrder(next);
    },
  ];
}

function readOrder(): Order {
  const kept = localStorage.getItem(KEPT_AS);
  return ORDERS.find((order) => order === kept) ?? "oldest";
}
