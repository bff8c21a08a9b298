//! The board as a picture.

use canvas_core::board::{ComponentInstance, DataLoadingState, GridConfig};
use serde_json::Value;

use super::host::Dashboard;
use super::text;

const INK: &str = "#1f2937";
const FAINT: &str = "#6b7280";
const LINE: &str = "#e5e7eb";
const GREEN: &str = "#16a34a";
const RED: &str = "#dc2626";
const AMBER: &str = "#d97706";
const BLUE: &str = "#2563eb";

/// Height of the header above the grid.
const HEAD: f64 = 64.0;
/// Space between a card's edge and its content.
const PAD: f64 = 16.0;
/// Height of a card's title.
const TITLE: f64 = 44.0;

/// Width of a character in most fonts, as a part of its height.
const WIDTH: f64 = 0.53;

/// A rectangle in pixels.
#[derive(Clone, Copy)]
struct Area {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
}

pub(crate) fn draw(dashboard: &Dashboard) -> String {
    let workspace = dashboard.workspace();
    let GridConfig { columns, rows, gap, cell_width, cell_height } = workspace.canvas.grid;
    // Width and height of some cells with their gaps.
    let across = |cells: u32| f64::from(cells) * (cell_width + gap);
    let down = |cells: u32| f64::from(cells) * (cell_height + gap);
    let (width, height) = (across(columns) + gap, HEAD + down(rows) + gap);
    let mut picture = Picture(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\">\n"
    ));
    picture.rect(Area { x: 0.0, y: 0.0, width, height }, 0.0, "#f3f4f6", "none");
    picture.text(gap + 4.0, 42.0, 22.0, INK, "bold", &workspace.name);
    let (count, views) = (workspace.canvas.components.len(), workspace.views.len());
    let about = format!("{columns} x {rows} cells, components: {count}, saved views: {views}");
    picture.end(width - gap - 4.0, 42.0, 13.0, FAINT, &about);
    for component in &workspace.canvas.components {
        let (position, size) = (component.position, component.size);
        picture.card(
            dashboard,
            component,
            Area {
                x: gap + across(position.col),
                y: HEAD + down(position.row),
                width: across(size.cols) - gap,
                height: down(size.rows) - gap,
            },
        );
    }
    picture.0 + "</svg>\n"
}

struct Picture(String);

impl Picture {
    fn card(&mut self, dashboard: &Dashboard, component: &ComponentInstance, area: Area) {
        let Area { x, y, width, height } = area;
        self.rect(area, 10.0, "#ffffff", LINE);
        let state = text::state(&component.data_state);
        let colour = match component.data_state {
            DataLoadingState::Ready { .. } => GREEN,
            DataLoadingState::Error { .. } => RED,
            DataLoadingState::Stale { .. } => AMBER,
            DataLoadingState::Idle | DataLoadingState::Loading { .. } => FAINT,
        };
        self.dot(x + width - PAD - 4.0, y + 24.0, 4.0, colour);
        self.end(x + width - PAD - 14.0, y + 28.0, 12.0, colour, state);
        let mut room = width - 2.0 * PAD - 64.0;
        if component.meta.pinned {
            room -= 22.0;
            self.pin(x + width - PAD - 70.0, y + 16.0);
        }
        let known = dashboard.registry.get(&component.type_id);
        let name = known.map_or(component.type_id.as_str(), |known| known.name.as_str());
        let title = component.meta.label.as_deref().or_else(|| component.config.get("metric")?.as_str());
        let title = title.map_or_else(|| name.to_owned(), capitalised);
        self.text(x + PAD, y + 28.0, 14.0, INK, "bold", &fit(&title, room, 15.0));
        let body =
            Area { x: x + PAD, y: y + TITLE, width: width - 2.0 * PAD, height: height - TITLE - PAD / 2.0 };
        match &component.data_state {
            DataLoadingState::Ready { data, .. } | DataLoadingState::Stale { data, .. } => match data {
                Value::Array(items) if component.type_id.as_str() == "github.issue-grid" => {
                    self.cards(items, body)
                }
                Value::Array(items) => self.list(items, body),
                data => self.number(data, body),
            },
            DataLoadingState::Error { error, .. } => {
                self.text(body.x, body.y + 18.0, 13.0, RED, "normal", &fit(&error.message, body.width, 13.0));
            }
            DataLoadingState::Idle | DataLoadingState::Loading { .. } => {
                self.text(body.x, body.y + 18.0, 13.0, FAINT, "normal", "no data yet");
            }
        }
    }

    /// One number, and how it has changed.
    fn number(&mut self, data: &Value, area: Area) {
        let field = |name: &str| data.get(name).and_then(Value::as_i64);
        let Some(value) = field("value") else { return };
        let middle = area.y + area.height / 2.0;
        let size = (area.height * 0.6).clamp(22.0, 46.0);
        self.text(area.x, middle + size * 0.3, size, INK, "bold", &grouped(value));
        if let Some(change) = field("previousValue").map(|before| value - before) {
            let (sign, colour) = match change {
                1.. => ("+", GREEN),
                0 => ("±", FAINT),
                _ => ("", AMBER),
            };
            let change = format!("{sign}{change} in a week");
            // Beside the number if there is no room below.
            if area.height > 90.0 {
                self.text(area.x, middle + size * 0.3 + 26.0, 13.0, colour, "normal", &change);
            } else {
                self.end(area.x + area.width, middle + size * 0.3, 12.0, colour, &change);
            }
        }
    }

    /// A line for each item, as many as there is room for.
    fn list(&mut self, items: &[Value], area: Area) {
        const ROW: f64 = 38.0;
        let mut y = area.y;
        for item in items {
            if y + ROW > area.y + area.height {
                break;
            }
            let text = |name: &str| item.get(name).and_then(Value::as_str).unwrap_or_default();
            let number = item.get("number").map_or_else(String::new, |number| format!("#{number} by "));
            let colour = match (text("state"), text("type")) {
                ("open", _) => GREEN,
                ("", "release") => AMBER,
                ("", _) => BLUE,
                _ => FAINT,
            };
            self.line(area.x, y, area.x + area.width, y);
            self.dot(area.x + 5.0, y + 19.0, 4.0, colour);
            let who = format!("{number}{}{}", text("author"), text("actor"));
            let room = area.width - 30.0 - width_of(&who, 12.0);
            self.text(area.x + 18.0, y + 23.5, 13.0, INK, "normal", &fit(text("title"), room, 13.0));
            self.end(area.x + area.width, y + 23.5, 12.0, FAINT, &who);
            y += ROW;
        }
    }

    /// A small card for each item, in two columns.
    fn cards(&mut self, items: &[Value], area: Area) {
        const ROW: f64 = 62.0;
        let width = (area.width - 10.0) / 2.0;
        for (at, item) in items.iter().enumerate() {
            let (col, row) = ((at % 2) as f64, (at / 2) as f64);
            let (x, y) = (area.x + col * (width + 10.0), area.y + row * (ROW + 8.0));
            if y + ROW > area.y + area.height {
                break;
            }
            self.rect(Area { x, y, width, height: ROW }, 6.0, "#f9fafb", LINE);
            let title = item["title"].as_str().unwrap_or_default();
            self.text(x + 10.0, y + 24.0, 13.0, INK, "normal", &fit(title, width - 20.0, 13.0));
            let number = format!("#{}", item["number"]);
            self.text(x + 10.0, y + 46.0, 12.0, FAINT, "normal", &number);
            if let Some(label) = item.pointer("/labels/0").and_then(Value::as_str) {
                let room = width_of(label, 11.0) + 14.0;
                let chip = Area { x: x + width - room - 10.0, y: y + 33.0, width: room, height: 19.0 };
                self.rect(chip, 9.5, "#dbeafe", "none");
                self.anchored("middle", chip.x + room / 2.0, y + 46.5, 11.0, BLUE, label);
            }
        }
    }

    fn rect(&mut self, area: Area, radius: f64, fill: &str, stroke: &str) {
        let Area { x, y, width, height } = area;
        self.push(format!(
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"{radius}\" \
             fill=\"{fill}\" stroke=\"{stroke}\"/>"
        ));
    }

    fn line(&mut self, x1: f64, y1: f64, x2: f64, y2: f64) {
        self.push(format!(
            "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"{LINE}\"/>"
        ));
    }

    fn dot(&mut self, x: f64, y: f64, radius: f64, fill: &str) {
        self.push(format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\" fill=\"{fill}\"/>"));
    }

    /// A drawing pin.
    fn pin(&mut self, x: f64, y: f64) {
        self.push(format!(
            "<path transform=\"translate({x:.1} {y:.1})\" fill=\"{BLUE}\" \
             d=\"M4 0h8v2l-1.5 1v4l2.5 2.5v1.500H8.700V16h-1.400v-5H3v-1.500L5.500 7V3L4 2z\"/>"
        ));
    }

    fn text(&mut self, x: f64, y: f64, size: f64, fill: &str, weight: &str, text: &str) {
        let text = escaped(text);
        self.push(format!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size}\" font-weight=\"{weight}\" fill=\"{fill}\">{text}</text>"
        ));
    }

    /// A text that ends at a place.
    fn end(&mut self, x: f64, y: f64, size: f64, fill: &str, text: &str) {
        self.anchored("end", x, y, size, fill, text);
    }

    fn anchored(&mut self, anchor: &str, x: f64, y: f64, size: f64, fill: &str, text: &str) {
        let text = escaped(text);
        self.push(format!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size}\" text-anchor=\"{anchor}\" fill=\"{fill}\">{text}</text>"
        ));
    }

    fn push(&mut self, element: String) {
        self.0 += &element;
        self.0.push('\n');
    }
}

/// `Open issues`, of `open_issues`.
fn capitalised(name: &str) -> String {
    let mut rest = name.chars();
    let first = rest.next().into_iter().flat_map(char::to_uppercase);
    first.chain(rest).map(|c| if c == '_' { ' ' } else { c }).collect()
}

/// The approximate width of a text in a usual font.
fn width_of(text: &str, size: f64) -> f64 {
    text.chars().count() as f64 * size * WIDTH
}

/// The beginning of a text that fits into a width.
fn fit(text: &str, width: f64, size: f64) -> String {
    let room = (width / size / WIDTH).max(1.0) as usize;
    if text.chars().count() <= room {
        return text.to_owned();
    }
    let cut: String = text.chars().take(room.saturating_sub(1)).collect();
    format!("{}…", cut.trim_end())
}

/// `45,158`
fn grouped(number: i64) -> String {
    let digits = number.unsigned_abs().to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    if number < 0 { format!("-{text}") } else { text }
}

fn escaped(text: &str) -> String {
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").chars().map(plain).collect()
}
