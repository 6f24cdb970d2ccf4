; Headings of Markdown. A section reaches to the next heading of its level (one underlined is
; none, and is the heading alone); `head` is what its signature shows.

(section . (atx_heading heading_content: (inline) @name) @head) @symbol.heading
(setext_heading heading_content: (paragraph) @name) @symbol.heading
