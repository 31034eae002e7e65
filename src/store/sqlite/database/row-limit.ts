/** The end of a query for some rows. With a bare parameter as the limit, SQLite compiles the query anew at each call. */
export const ROW_LIMIT = "LIMIT ? + 0";
